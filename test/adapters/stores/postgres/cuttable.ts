import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Transform } from "node:stream";

/** The way to a server, which a test can cut. */
export interface CuttableWay {
  /** The address of the server, by this way. */
  readonly url: string;
  /** Breaks all connections off, and refuses others. */
  cut(): void;
  /** From now on nothing passes, although connections stay and are accepted. */
  hang(): void;
  /** Lets everything pass again, and what has been kept back with it. */
  mend(): void;
  close(): void;
}

const usualPorts: Readonly<Record<string, number>> = { "postgres:": 5432, "postgresql:": 5432, "redis:": 6379 };

/** @param losesAnswer whether a connection breaks off after these bytes of a client have reached the server, before its answer reaches the client; by default never */
export async function cuttable(target: URL, losesAnswer: (sent: Buffer) => boolean = () => false): Promise<CuttableWay> {
  const sockets = new Set<Socket>();
  const keptBack: (() => void)[] = [];
  let state: "open" | "cut" | "hanging" = "open";
  /** Passes on what it gets, once the way does not hang. */
  const passage = (see: (chunk: Buffer) => void) =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        see(chunk);
        const pass = () => done(null, chunk);
        if (state === "hanging") keptBack.push(pass);
        else pass();
      },
    });
  const server = createServer((socket) => {
    if (state === "cut") return void socket.destroy();
    const upstream = connect(Number(target.port || usualPorts[target.protocol]), target.hostname);
    let isLost = false;
    const end = () => {
      socket.destroy();
      upstream.destroy();
    };
    for (const one of [socket, upstream]) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        end();
      });
    }
    const requests = passage((chunk) => {
      isLost ||= losesAnswer(chunk);
    });
    const answers = passage(() => {
      if (isLost) end();
    });
    socket.pipe(requests).pipe(upstream);
    upstream.pipe(answers).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxied = new URL(target);
  proxied.hostname = "127.0.0.1";
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    cut() {
      state = "cut";
      for (const socket of sockets) socket.destroy();
    },
    hang() {
      state = "hanging";
    },
    mend() {
      state = "open";
      for (const pass of keptBack.splice(0)) pass();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
