import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";

export interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  /** Chunked where it comes in pieces, else with its length. */
  readonly body?: string | Uint8Array | readonly string[];
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Local port of the connection: the same for two requests that shared it. */
  readonly connection: number | undefined;
}

/** An agent that keeps its connections, as browsers and API clients do. */
export function keepAliveAgent(maxSockets = 1): Agent {
  return new Agent({ keepAlive: true, maxSockets });
}

/** Sends one request and reads the whole answer; rejects where the answer breaks off. */
export function send(port: number, path: string, { method = "GET", headers = {}, body }: Sent = {}, agent?: Agent): Promise<Received> {
  return new Promise((resolve, reject) => {
    const whole = typeof body === "string" || body instanceof Uint8Array;
    const length = whole ? { "content-length": String(Buffer.byteLength(body)) } : {};
    const outgoing = request({
      port,
      host: "127.0.0.1",
      path,
      method,
      headers: { ...length, ...headers },
      ...(agent ? { agent } : { agent: false }),
    });
    outgoing.on("error", reject);
    outgoing.on("socket", hearErrors);
    outgoing.on("response", (incoming) => {
      const connection = incoming.socket.localPort;
      readAll(incoming).then((read) => resolve({ ...received(incoming), body: read, connection }), reject);
    });
    for (const chunk of whole || body === undefined ? [] : body) outgoing.write(chunk);
    outgoing.end(whole ? body : undefined);
  });
}

const heard = new WeakSet<Socket>();

/** Once the answer is read, a server that stops reading the request is no failure; without a listener the agent's socket would throw. */
function hearErrors(socket: Socket): void {
  if (heard.has(socket)) return;
  heard.add(socket);
  socket.on("error", () => {});
}

function received({ statusCode = 0, headers, rawHeaders }: IncomingMessage) {
  return { status: statusCode, headers, rawHeaders };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The values of a header, one a line. */
export function lines({ rawHeaders }: Pick<Received, "rawHeaders">, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
