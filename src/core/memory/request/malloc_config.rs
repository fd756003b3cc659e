//! The attributes that a program may give to an allocation.

use crate::base::error::{Result, arguments, invalid_param, param_invalid, unsupported};
use crate::runtime::Session;
use crate::runtime::device::{self, Device};

/// An attribute, as `aclrtMallocAttrType` numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `ACL_RT_MEM_ATTR_RSV`: ignored.
    Reserved,
    /// `ACL_RT_MEM_ATTR_MODULE_ID`: the module that counts it.
    ModuleId,
    /// `ACL_RT_MEM_ATTR_DEVICE_ID`: the device.
    DeviceId,
    /// `ACL_RT_MEM_ATTR_VA_FLAG`: 1 for one address on host and device.
    VaFlag,
}

impl Attribute {
    /// Converts the number of C.
    pub fn from_number(number: i32) -> Result<Self> {
        const ALL: [Attribute; 4] = [Attribute::Reserved, Attribute::ModuleId, Attribute::DeviceId, Attribute::VaFlag];
        arguments::numbered("an attr of cfg->attrs", number, &ALL, "the values of aclrtMallocAttrType, 0 to 3")
    }
}

/// The attributes of one allocation. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MallocConfig {
    values: [Option<u32>; 4],
}

impl MallocConfig {
    /// Adds an attribute. Module ids have no effect: memory is not counted by module.
    pub fn add(&mut self, attribute: Attribute, value: u32) -> Result<()> {
        if attribute == Attribute::VaFlag && value > 1 {
            return Err(invalid_param!(
                "cfg: vaFlag is {value}; allowed: 0, and in aclrtMallocHostWithCfg also 1 (one address on host and \
                 device)"
            ));
        }
        // The check also bounds the reading of a list with a wrong count.
        if self.values[attribute as usize].replace(value).is_some() {
            return Err(invalid_param!(
                "cfg->attrs has attr {} more than once; pass each attr at most once",
                attribute as usize
            ));
        }
        Ok(())
    }

    fn of(&self, attribute: Attribute) -> Option<u32> {
        self.values[attribute as usize]
    }

    /// Fails unless memory of `device` can have these attributes.
    pub(crate) fn check_for_device(&self, device: &Device, session: &Session) -> Result<()> {
        self.check_device_id(session)?;
        if let Some(id) = self.of(Attribute::DeviceId)
            && id != device.id
        {
            return Err(param_invalid!(
                "cfg: deviceId is {id}, but the current device is {}; call aclrtSetDevice({id}) first",
                device.id
            ));
        }
        if self.of(Attribute::VaFlag) == Some(1) {
            return Err(unsupported!(
                "cfg: vaFlag is 1, but device memory has no address for the host here; omit vaFlag, or use \
                 aclrtMallocHost"
            ));
        }
        Ok(())
    }

    /// Fails if `deviceId` names no device. Pinned memory needs no other check, because every device uses it at one
    /// address.
    pub(crate) fn check_device_id(&self, session: &Session) -> Result<()> {
        self.of(Attribute::DeviceId).map_or(Ok(()), |id| device::slot(session, "cfg: deviceId", id).map(drop))
    }
}

#[cfg(test)]
#[path = "malloc_config_tests.rs"]
mod tests;
