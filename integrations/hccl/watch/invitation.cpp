#include "watch/invitation.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/failure.h"

namespace hccl {

namespace {

// The last digits are the version of the layout.
constexpr char kMagic[16] = "portacl hccl 03";

// Writes and reads fields one after the other in the bytes of the root information.
class Fields {
  public:
    explicit Fields(char* bytes) : at_(bytes), end_(bytes + HCCL_ROOT_INFO_BYTES) {}

    void Put(const void* bytes, size_t length) {
        if (static_cast<size_t>(end_ - at_) < length) throw Failure(HCCL_E_INTERNAL, "an address is too long");
        std::memcpy(at_, bytes, length);
        at_ += length;
    }
    void Put(const std::string& text) {
        const auto length = static_cast<uint16_t>(text.size());
        Put(&length, sizeof length);
        Put(text.data(), length);
    }
    void Take(void* bytes, size_t length) {
        if (static_cast<size_t>(end_ - at_) < length) throw Failure(HCCL_E_PARA, kForeign);
        std::memcpy(bytes, at_, length);
        at_ += length;
    }
    std::string Take() {
        uint16_t length = 0;
        Take(&length, sizeof length);
        std::string text(length, '\0');
        Take(text.data(), length);
        return text;
    }

    static constexpr const char* kForeign =
        "rootInfo was not written by HcclGetRootInfo of this version of portacl; use one version in all processes, "
        "and copy all 4108 bytes of rootInfo to each of them";

  private:
    char* at_;
    char* end_;
};

}  // namespace

Secret NewSecret() {
    Secret secret;
    if (getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
        throw Failure(HCCL_E_INTERNAL, std::string("getrandom: ") + std::strerror(errno));
    }
    return secret;
}

void Write(const Invitation& invitation, HcclRootInfo* info) {
    *info = {};
    Fields fields(info->internal);
    fields.Put(kMagic, sizeof kMagic);
    fields.Put(invitation.secret.data(), invitation.secret.size());
    fields.Put(&invitation.port, sizeof invitation.port);
    for (const std::string* text : {&invitation.address, &invitation.engine, &invitation.meeting, &invitation.text}) {
        fields.Put(*text);
    }
}

Invitation Read(const HcclRootInfo& info) {
    HcclRootInfo copy = info;
    Fields fields(copy.internal);
    char magic[sizeof kMagic];
    fields.Take(magic, sizeof magic);
    if (std::memcmp(magic, kMagic, sizeof magic) != 0) throw Failure(HCCL_E_PARA, Fields::kForeign);
    Invitation invitation = {};
    fields.Take(invitation.secret.data(), invitation.secret.size());
    fields.Take(&invitation.port, sizeof invitation.port);
    for (std::string* text : {&invitation.address, &invitation.engine, &invitation.meeting, &invitation.text}) {
        *text = fields.Take();
    }
    return invitation;
}

}  // namespace hccl
