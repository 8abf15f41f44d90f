import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { buffer } from "node:stream/consumers";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
};

/** A request that a client sent, and its answer. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of the request. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** A server in front of the shop, which forwards requests as they are and keeps what was said. */
export interface Recorder {
  readonly origin: string;
  /** All exchanges that have ended, in order. */
  readonly exchanges: readonly Exchange[];
  close(): void;
}

/**
 * @param origin of the shop, with its base path
 * @param pages folder of files that are served below `/pages/`, from the same origin as the shop
 */
export async function startRecorder(origin: string, pages?: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  const { host, pathname } = new URL(origin);
  const base = pathname === "/" ? "" : pathname;
  const server = createServer((incoming, response) => {
    void (async () => {
      // Answers are kept as text: they are not compressed.
      const { "accept-encoding": _, ...headers } = incoming.headers;
      const { method = "", url = "" } = incoming;
      if (pages !== undefined && url.startsWith("/pages/")) {
        const type = types[extname(url)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type }).end(await readFile(join(pages, url.slice("/pages/".length))));
        return;
      }
      const body = await buffer(incoming);
      const outgoing = request(origin, { path: url, method, headers: { ...headers, host } });
      outgoing.end(body);
      const [answered] = (await once(outgoing, "response")) as [typeof incoming];
      const answer = await buffer(answered);
      const target = new URL(url, origin);
      exchanges.push({
        method,
        path: target.pathname.slice(base.length),
        query: target.searchParams,
        headers,
        body: body.toString(),
        status: answered.statusCode ?? 0,
        answer: answer.toString(),
      });
      response.writeHead(answered.statusCode ?? 502, answered.headers).end(answer);
    })().catch((error: unknown) => response.destroy(error as Error));
  });
  // Some tools read the document for longer than Node keeps a connection by default.
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    exchanges,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
