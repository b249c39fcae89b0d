package dev.kvdb.nativecalls;

/**
 * The numbers of one system and architecture that {@link PosixCalls} passes to the kernel. Each
 * component is named after the C macro it holds.
 *
 * @param errors the names of this system's error numbers
 */
record PosixConstants(
    int O_RDONLY,
    int O_RDWR,
    int O_CREAT,
    int O_CLOEXEC,
    int O_DIRECTORY,
    int O_NONBLOCK,
    int O_NOCTTY,
    int LOCK_SH,
    int LOCK_EX,
    int LOCK_NB,
    int PROT_NONE,
    int PROT_READ,
    int PROT_WRITE,
    int MAP_SHARED,
    int MAP_PRIVATE,
    int MAP_FIXED,
    int MAP_ANONYMOUS,
    int MAP_NORESERVE,
    int MS_SYNC,
    int MADV_NORMAL,
    int MADV_RANDOM,
    int MADV_SEQUENTIAL,
    int MADV_WILLNEED,
    int EINTR,
    int EIO,
    int ENOENT,
    int EFAULT,
    int EINVAL,
    int EWOULDBLOCK,
    ErrorNames errors) {}
