import { CommandError, Interrupted } from "../commandError.js";
import type { Output } from "../output.js";
import { connectionFault } from "./connectionFault.js";
import { retrying } from "./retrying.js";
import { sendRequest } from "./sendRequest.js";
import type { Session } from "./session.js";

const tries = 4;

/**
 * Writes the body of a response to an output. If the connection is lost, begins again, provided that the output can restart.
 *
 * @returns the number of bytes
 * @throws {CommandError}
 */
export async function fetchWhole(
  session: Session,
  url: URL,
  { accept, label }: { readonly accept: string; readonly label: string },
  output: Pick<Output, "write" | "restart">,
): Promise<number> {
  let bytes = 0;
  await retrying(
    session,
    async () => {
      if (bytes > 0) await output.restart?.();
      bytes = 0;
      const response = await sendRequest(session, url, { headers: { accept } });
      try {
        for await (const chunk of bodyOf(session, url, response)) {
          bytes += chunk.length;
          await output.write(chunk);
          session.display.show({ label, unit: "bytes", done: bytes });
        }
      } catch (error) {
        if (error instanceof Interrupted || bytes === 0 || output.restart !== undefined) throw error;
        throw new CommandError(`${(error as Error).message} ${bytes} bytes were already written.`, { cause: error });
      }
    },
    { tries },
  );
  return bytes;
}

/** The bytes of a response. @throws {TransientError} if the connection is lost */
export async function* bodyOf({ signal }: Session, url: URL, response: Response): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw signal.aborted ? new Interrupted() : connectionFault(error, url);
      });
      if (done) return;
      yield value as Uint8Array;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
