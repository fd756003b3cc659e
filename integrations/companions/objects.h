// The objects of a type that live. A handle is looked for before it is read, so a handle that was destroyed, or that is
// none, is refused.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "check.h"

namespace companions {

// `T::kNoun` is what texts call an object.
template <typename T>
class Objects {
  public:
    // It is never destroyed: programs use handles until their last destructor.
    static Objects& Get() {
        static auto* const all = new Objects;
        return *all;
    }

    T* Add(std::unique_ptr<T> object) {
        T* const handle = object.get();
        const std::lock_guard<std::mutex> held(lock_);
        live_.emplace(handle, std::move(object));
        return handle;
    }

    // Destroys the object. Null is allowed. For other handles that are none it leaves a text.
    void Destroy(const char* call, const char* argument, const T* handle) {
        if (handle == nullptr) return;
        const std::lock_guard<std::mutex> held(lock_);
        if (live_.erase(handle) == 0) RefuseHandle(call, argument);
    }

    // Returns success for a live object.
    aclError Check(const char* call, const char* argument, const T* handle) {
        if (handle == nullptr) return RefuseNull(call, argument);
        const std::lock_guard<std::mutex> held(lock_);
        return live_.count(handle) != 0 ? ACL_SUCCESS : RefuseHandle(call, argument);
    }

  private:
    static aclError RefuseHandle(const char* call, const char* argument) {
        return Refuse(call, std::string(argument) + " is not a live " + T::kNoun +
                                "; pass one that was created and not destroyed");
    }

    std::mutex lock_;
    std::unordered_map<const T*, std::unique_ptr<T>> live_;
};

// Returns success for a live object.
template <typename T>
aclError CheckHandle(const char* call, const char* argument, const T* handle) {
    return Objects<T>::Get().Check(call, argument, handle);
}

}  // namespace companions

// Returns from the function if the handle is none.
#define REFUSE_DEAD(HANDLE)                                                                              \
    do {                                                                                                 \
        if (const aclError code = companions::CheckHandle(__func__, #HANDLE, HANDLE); code) return code; \
    } while (false)
