const boundary = "----bench8f3c1b5d7a9e2046";
const opening = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const closing = `\r\n--${boundary}--\r\n`;

/** A request with a form of one file. */
export interface FormMessage {
  /** Of the request, with the empty line. */
  readonly head: string;
  readonly body: Iterable<Uint8Array>;
}

/** @param bytes size of the content */
export function formMessage(content: Iterable<Uint8Array>, bytes: number): FormMessage {
  return { head: headOf(bytes), body: bodyOf(content) };
}

/** The whole request as a text, for a small file. @param content ASCII */
export function formText(content: string): string {
  return headOf(content.length) + opening + content + closing;
}

function headOf(bytes: number): string {
  const lines = [
    "POST /upload HTTP/1.1",
    "host: 127.0.0.1",
    `content-type: multipart/form-data; boundary=${boundary}`,
    `content-length: ${opening.length + bytes + closing.length}`,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function* bodyOf(content: Iterable<Uint8Array>): Generator<Uint8Array, void, undefined> {
  yield Buffer.from(opening);
  yield* content;
  yield Buffer.from(closing);
}
