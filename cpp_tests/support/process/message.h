// Messages of sockets that can carry a descriptor.
#pragma once

#include <sys/socket.h>

#include <cstring>

namespace portacl_test {

// Receives a message of at most `size` bytes. Returns its length, or a negative number. `descriptor` is the one that
// came with it, or -1.
inline ssize_t ReceiveMessage(int socket, void* bytes, size_t size, int* descriptor) {
    iovec part{bytes, size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    *descriptor = -1;
    if (const cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr)
        std::memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
    return got;
}

// Sends a message, with a descriptor unless that is -1. Returns the number of bytes, or a negative number.
inline ssize_t SendMessage(int socket, const void* bytes, size_t size, int descriptor) {
    iovec part{const_cast<void*>(bytes), size};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor >= 0) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace portacl_test
