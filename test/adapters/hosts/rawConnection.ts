import { connect, type Socket } from "node:net";

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection that sends exactly the given bytes and reads answers one by one. */
export class RawConnection {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.socket = connect(port, "127.0.0.1");
    this.socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    this.socket.on("error", () => undefined);
    this.socket.on("close", () => {
      this.#ended = true;
      this.#wake();
    });
  }

  write(bytes: string | Uint8Array): this {
    this.socket.write(bytes);
    return this;
  }

  /** The next answer; `bodiless` for those to HEAD, whose length is not followed by bytes. Rejects where the connection ends before. */
  async readResponse({ bodiless = false } = {}): Promise<RawResponse> {
    const head = (await this.#take(() => lengthThrough(this.#received, "\r\n\r\n"))).toString("latin1");
    const [statusLine = "", ...fields] = head.trimEnd().split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    const headers = new Map(fields.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]));
    if (bodiless || status < 200 || status === 204 || status === 304) return { status, headers, body: "" };
    const body =
      headers.get("transfer-encoding") === "chunked" ? await this.#readChunks() : await this.#readBytes(Number(headers.get("content-length")));
    return { status, headers, body: body.toString() };
  }

  /** Resolves with what came beside whole answers once the server has closed. */
  async readToEnd(): Promise<string> {
    while (!this.#ended) await this.#more();
    return this.#received.toString("latin1");
  }

  destroy(): void {
    this.socket.destroy();
  }

  #readBytes(length: number): Promise<Buffer> {
    return this.#take(() => (this.#received.length >= length ? length : -1));
  }

  async #readChunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt((await this.#take(() => lengthThrough(this.#received, "\r\n"))).toString("latin1"), 16);
      chunks.push((await this.#readBytes(size + 2)).subarray(0, size));
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  /** The first bytes once `measure` knows how many; −1 is "not yet". */
  async #take(measure: () => number): Promise<Buffer> {
    let length = measure();
    while (length < 0) {
      if (this.#ended) throw new Error(`The connection ended after ${JSON.stringify(this.#received.toString("latin1").slice(0, 200))}.`);
      await this.#more();
      length = measure();
    }
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

function lengthThrough(bytes: Buffer, mark: string): number {
  const at = bytes.indexOf(mark);
  return at === -1 ? -1 : at + mark.length;
}
