import { once } from "node:events";
import { connect, type Socket } from "node:net";

const timeoutMs = 30_000;

/** A response, as far as the benchmarks look at it. */
export interface Received {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** A keep-alive connection that carries one request at a time; far cheaper than node:http, so that the server stays the slower side. */
export class Connection {
  readonly #socket: Socket;
  #received = "";
  #settle: { resolve(response: Received): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    // One character is one byte in latin1: lengths can be compared with Content-Length.
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => this.#take(text));
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`No answer came within ${timeoutMs} ms.`)));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("The server closed the connection before its answer was complete.")));
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(new Connection(socket)));
      socket.once("error", reject);
    });
  }

  /** @param text The whole request: head, empty line, body. */
  send(text: string): Promise<Received> {
    const answered = this.#answer();
    this.#socket.write(text);
    return answered;
  }

  /**
   * Sends a large body at the pace of the server, and no more of it once there is an answer. Nothing is copied: a sender that gives the same buffer over and over
   * costs next to nothing.
   *
   * @param head with the empty line
   */
  async sendBody(head: string, body: Iterable<Uint8Array>): Promise<Received> {
    let isAnswered = false;
    const answered = this.#answer().finally(() => {
      isAnswered = true;
    });
    const isOver = answered.then(
      () => undefined,
      () => undefined,
    );
    this.#socket.write(head);
    for (const chunk of body) {
      if (isAnswered) break;
      if (!this.#socket.write(chunk)) await Promise.race([once(this.#socket, "drain"), isOver]);
    }
    return answered;
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #answer(): Promise<Received> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#socket.destroyed) reject(new Error("The server has closed the connection."));
    });
  }

  #take(text: string): void {
    this.#received = this.#received === "" ? text : this.#received + text;
    const response = readResponse(this.#received);
    if (response === undefined) return;
    this.#received = "";
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve(response);
  }
}

const contentLength = /\r\ncontent-length: *(\d+)/i;
const chunked = /\r\ntransfer-encoding: *chunked/i;

/** The response that a text holds; `undefined` as long as it is not complete. */
function readResponse(text: string): Received | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const status = Number(head.slice(9, 12));
  const body = text.slice(end + 4);
  const length = contentLength.exec(head)?.[1];
  if (length !== undefined && status !== 304) return body.length >= Number(length) ? { status, head, body } : undefined;
  if (chunked.test(head)) return body.endsWith("0\r\n\r\n") ? { status, head, body: joinChunks(body) } : undefined;
  return { status, head, body: "" };
}

function joinChunks(text: string): string {
  let body = "";
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf("\r\n", at);
    const length = Number.parseInt(text.slice(at, lineEnd), 16);
    if (!(length > 0)) return body;
    body += text.slice(lineEnd + 2, lineEnd + 2 + length);
    at = lineEnd + 2 + length + 2;
  }
}
