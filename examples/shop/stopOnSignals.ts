/** After this time the process exits even if `stop` has not finished. */
const closeTimeoutMs = 15_000;

/**
 * Calls `stop` at the first SIGTERM or SIGINT, then exits. Later signals are ignored: `npm start` forwards a signal that the terminal has already sent to the
 * process, and this second signal must not abort running requests.
 */
export function stopOnSignals(stop: () => Promise<void>): void {
  let isStopping = false;
  const begin = () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), closeTimeoutMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", begin).on("SIGINT", begin);
}
