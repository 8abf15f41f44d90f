import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { ProblemError, parseMultipart } from "../../../../src/capabilities/uploads/index.js";
import { type SeenPart, seen } from "./forms.js";

/** What a server does with a request: its answer is sent as JSON. */
export type Answer = (incoming: IncomingMessage) => Promise<unknown>;

/** A server that answers forms, and knows of each request how it ended. */
export async function formServer(answer: Answer = readParts) {
  const ended: Promise<unknown>[] = [];
  const server = createServer((incoming, outgoing) => {
    const answered = answer(incoming).then(
      (value) => outgoing.end(JSON.stringify(value)),
      (error: unknown) => {
        const status = error instanceof ProblemError ? error.status : 500;
        outgoing.writeHead(status, { connection: "close" }).end(JSON.stringify({ error: String(error) }));
        return error;
      },
    );
    ended.push(answered);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    /** Resolves when every request so far has ended. */
    settled: () => Promise.all(ended),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** All parts, read to their ends. */
export async function readParts(incoming: IncomingMessage): Promise<readonly SeenPart[]> {
  const parts: SeenPart[] = [];
  for await (const part of parseMultipart(incoming)) parts.push(await seen(part));
  return parts;
}

/** A connection on which a form has begun. */
export async function beginForm(port: number, body: string, length: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  const head = ["POST / HTTP/1.1", "Host: x", "Content-Type: multipart/form-data; boundary=b", `Content-Length: ${length}`, "", ""].join("\r\n");
  await new Promise<void>((resolve) => socket.write(head + body, () => resolve()));
  return socket;
}
