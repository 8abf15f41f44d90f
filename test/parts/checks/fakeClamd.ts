import { createServer, type Server, type Socket } from "node:net";

export interface FakeClamdOptions {
  /** As StreamMaxLength of clamd; longer streams are answered while they are sent. */
  readonly limitBytes?: number;
  /** What is said of a whole file. */
  readonly judge?: (bytes: Buffer) => string;
  /** In place of all of that. */
  readonly behave?: (socket: Socket) => void;
}

/** Speaks INSTREAM as clamd does, and takes nothing that is not exactly that. */
export class FakeClamd {
  readonly received: Buffer[] = [];
  connections = 0;
  readonly #server: Server;
  readonly #options: FakeClamdOptions;

  constructor(options: FakeClamdOptions = {}) {
    this.#options = options;
    this.#server = createServer((socket) => {
      this.connections += 1;
      socket.on("error", () => {});
      (options.behave ?? ((one) => this.#serve(one)))(socket);
    });
  }

  async listen(path?: string): Promise<number> {
    await new Promise<void>((resolve) => (path === undefined ? this.#server.listen(0, "127.0.0.1", resolve) : this.#server.listen(path, resolve)));
    const address = this.#server.address();
    return typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  close(): void {
    this.#server.close();
  }

  #serve(socket: Socket): void {
    const command = Buffer.from("zINSTREAM\0");
    let pending = Buffer.alloc(0);
    let file = Buffer.alloc(0);
    let isBegun = false;
    const answer = (text: string): undefined => {
      socket.end(`${text}\0`);
    };
    socket.on("data", (chunk): undefined => {
      pending = Buffer.concat([pending, Buffer.from(chunk)]);
      if (!isBegun) {
        if (pending.length < command.length) return undefined;
        if (!pending.subarray(0, command.length).equals(command)) return answer("UNKNOWN COMMAND");
        pending = pending.subarray(command.length);
        isBegun = true;
      }
      while (pending.length >= 4) {
        const length = pending.readUInt32BE();
        if (length === 0) {
          this.received.push(file);
          return answer(pending.length > 4 ? "stream: More than a stream. ERROR" : (this.#options.judge?.(file) ?? "stream: OK"));
        }
        if (file.length + length > (this.#options.limitBytes ?? Number.POSITIVE_INFINITY)) {
          socket.pause();
          return answer("INSTREAM size limit exceeded. ERROR");
        }
        if (pending.length < 4 + length) return undefined;
        file = Buffer.concat([file, pending.subarray(4, 4 + length)]);
        pending = pending.subarray(4 + length);
      }
      return undefined;
    });
  }
}
