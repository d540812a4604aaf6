//! The author's and operator's tool: translates the command line into a call of `forge::cli`.

fn main() -> std::process::ExitCode {
    forge::cli::main()
}
