//! What a session was told already, so that it is told once. Kept in the session's own entry of the state file under
//! `notices`, a key that other readers keep as they find it.

use super::memory;
use super::object::Object;
use super::paths::Paths;
use super::time;
use crate::host::Host;

/// Whether this session has not been told of `topic` yet; it is marked as told. Where nothing can be remembered the
/// answer is yes: better twice than never.
pub fn tell_once(host: &dyn Host, paths: &Paths, session: &str, topic: &str) -> bool {
    let Ok(locked) = memory::open(host, paths) else { return true };
    let mut memory = locked.read();
    let (is_news, _) = memory.edit(session, |object, now| {
        let mut notices = Object::read(object.get("notices")).unwrap_or_default();
        let is_news = notices.get(topic).is_none();
        if is_news {
            notices.set(topic, format!("\"{}\"", time::write(now)));
            let notices = notices.write();
            object.set("notices", notices);
        }
        is_news
    });
    is_news
}
