import { createConnection, type Socket } from "node:net";

/** The address of clamd: a host and a port, or the path of a socket. */
export type ClamdAddress =
  | {
      /** The host of clamd. Defaults to `127.0.0.1`. */
      readonly host?: string | undefined;
      /** The TCP port of clamd. Either this or `path`. */
      readonly port: number;
      readonly path?: undefined;
    }
  | {
      /** The socket of clamd on this machine. */
      readonly path: string;
      readonly host?: undefined;
      readonly port?: undefined;
    };

/** An answer is one line. */
const maxAnswer = 4_096;

/** A connection for one command. `send` waits for backpressure; the answer is everything that the daemon sends until it ends the connection. */
export class ClamdConnection {
  /** Resolves with the bytes that arrived, even if the connection broke afterwards. */
  readonly answer: Promise<string>;
  readonly #socket: Socket;
  #received = "";
  #failure: Error | undefined;

  constructor(address: ClamdAddress, signal: AbortSignal) {
    this.#socket = address.path === undefined ? createConnection(address.port, address.host ?? "127.0.0.1") : createConnection(address.path);
    const end = () => this.#socket.destroy(new Error("The scan was ended.", { cause: signal.reason }));
    this.answer = new Promise((resolve, reject) => {
      this.#socket.on("data", (chunk: Buffer) => this.#receive(chunk));
      this.#socket.on("error", (error) => {
        this.#failure = error;
      });
      this.#socket.on("close", () => {
        signal.removeEventListener("abort", end);
        if (this.#received === "" || signal.aborted) reject(this.#failure ?? new Error("clamd closed the connection without an answer."));
        else resolve(this.#received);
      });
    });
    // The error is read after everything has been sent.
    this.answer.catch(() => undefined);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  }

  /** `false` if the daemon accepts no more bytes. */
  async send(bytes: Uint8Array): Promise<boolean> {
    if (!this.isOpen) return false;
    if (!this.#socket.write(bytes)) await this.#drained();
    return this.isOpen;
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Whether the daemon may still accept bytes. */
  get isOpen(): boolean {
    return this.#socket.writable && this.#received === "" && this.#failure === undefined;
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.toString("latin1");
    if (this.#received.length > maxAnswer) this.#socket.destroy(new Error("clamd sent more than one line."));
    else if (this.#received.endsWith("\0")) this.#socket.destroy();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#socket.off("drain", end).off("close", end).off("data", end);
        resolve();
      };
      this.#socket.on("drain", end).on("close", end).on("data", end);
    });
  }
}
