import { UnexpectedAnswerError } from "../errors.js";
import type { Answer } from "./transport.js";
import { NetworkError } from "./transportErrors.js";
import { unlessAborted } from "./wait.js";

/** The chunks of an answer. A loop that is left ends the request. @throws {NetworkError} if the answer breaks off */
export async function* chunksOf({ stream }: Answer): AsyncGenerator<Uint8Array> {
  // Requests that stream have one.
  const { body, controller, release } = stream as NonNullable<typeof stream>;
  const { signal } = controller;
  const reader = body?.getReader();
  try {
    for (;;) {
      const next = await unlessAborted(signal, reader?.read());
      if (!next || next.done) return;
      yield next.value;
    }
  } catch (cause) {
    throw signal.aborted ? signal.reason : new NetworkError("The answer broke off.", { cause });
  } finally {
    release();
    await reader?.cancel().catch(() => undefined);
  }
}

/** The lines of an answer, without their ends. */
export async function* linesOf(answer: Answer): AsyncGenerator<string> {
  const { maxBytes } = answer.stream as NonNullable<typeof answer.stream>;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunksOf(answer)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxBytes) throw new UnexpectedAnswerError(answer.status, "a line that is longer than maxAnswerBytes");
    yield* lines;
  }
  if (rest !== "") yield rest;
}
