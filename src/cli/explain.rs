//! `forge explain`: why the hook would answer one event as it would: every behavior in order, each trigger, each condition with
//! what it saw, then the answer.

use super::{Exit, one_event, output, try_};
use crate::error::Result;
use crate::explain::{self, Styles};
use crate::host::OsHost;

/// Arguments.
#[derive(clap::Args, Clone, Debug, Default)]
pub(super) struct Arguments {
    #[command(flatten)]
    event: one_event::EventArguments,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let ended = one_event::judge(&OsHost::new(), &arguments.event)?;
    if arguments.json {
        let mut object = try_::object(&ended);
        if let Some(object) = object.as_object_mut() {
            object.insert("judgement".to_owned(), ended.views.last().map(explain::json).into());
        }
        output::say(&format!("{object:#}\n"))?;
        return Ok(Exit::Fine);
    }
    let styles = Styles::coloured();
    let mut text = try_::notes(&ended);
    for view in &ended.views {
        text.push_str(&explain::text(view, styles));
        text.push('\n');
    }
    text.push_str(&try_::answer(&ended, styles));
    output::say(&text)?;
    Ok(Exit::Fine)
}
