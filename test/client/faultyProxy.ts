import { request as connect, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a proxy does to one exchange. */
export type Fault = "none" | "cut before" | "cut after" | "delay" | "429" | "503" | "502" | "half body";

/** A proxy between a client and a service. */
export interface FaultyProxy {
  readonly url: string;
  /** How often each fault happened. */
  readonly counts: Map<Fault, number>;
  close(): Promise<void>;
}

/** @param choose the fault of the next exchange */
export async function startFaultyProxy(target: string, choose: () => Fault): Promise<FaultyProxy> {
  const counts = new Map<Fault, number>();
  const server = createServer(async (request, response) => {
    const fault = choose();
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    if (fault === "cut before") return void request.socket.destroy();
    if (fault === "delay") await new Promise((resolve) => setTimeout(resolve, 20));
    if (fault === "429") return void refuse(response, 429, "application/problem+json", { "retry-after": "0" });
    if (fault === "503") return void refuse(response, 503, "application/problem+json", { "retry-after": new Date().toUTCString() });
    if (fault === "502") return void refuse(response, 502, "text/html", {});
    forward(target, request, response, fault);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(response: ServerResponse, status: number, type: string, headers: Readonly<Record<string, string>>): void {
  const body =
    type === "text/html"
      ? `<html>${"bad gateway ".repeat(100)}</html>`
      : JSON.stringify({ type: "about:blank", title: "Refused", status, detail: "Refused.", code: "RATE_LIMITED" });
  response.writeHead(status, { "content-type": type, ...headers }).end(body);
}

function forward(target: string, request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  const { method, headers, url } = request;
  const sent = connect(target + url, { method, headers, agent: false }, async (received) => {
    const chunks: Buffer[] = [];
    for await (const chunk of received) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    if (fault === "cut after") return void request.socket.destroy();
    const { "transfer-encoding": _, ...others } = received.headers;
    response.writeHead(received.statusCode ?? 500, { ...others, "content-length": body.length });
    if (fault !== "half body") return void response.end(body);
    response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
  });
  sent.on("error", () => request.socket.destroy());
  request.pipe(sent);
}
