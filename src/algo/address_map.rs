//! Placeholder until the map lands.
pub struct AddressMap;
#[derive(Clone, Copy, Debug)]
pub struct Range {
    pub base: usize,
    pub len: usize,
    pub words: [u64; 3],
}
impl AddressMap {
    pub const fn new() -> Self {
        Self
    }
    pub fn insert(&self, _: Range) -> Result<(), u8> {
        Ok(())
    }
    pub fn find(&self, _: usize) -> Option<Range> {
        None
    }
    pub fn remove_if(&self, _: usize, _w: impl Fn(&Range) -> bool) -> Option<Range> {
        None
    }
    pub fn drain(&self, _w: impl Fn(&Range) -> bool) -> Vec<Range> {
        vec![]
    }
}
