import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ClientOptions, createClient } from "restwright/client";
import { onTestFinished } from "vitest";
import type { ShopService } from "../shopStage.js";

/** A request that a test answers, when it wants to. */
export interface Asked {
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  /** Resolves when the client has ended the request, or the answer has been sent. */
  readonly closed: Promise<void>;
  /** Begins a stream, or sends more of it. */
  send(text: string | Uint8Array): void;
  /** Ends the stream without a fault. */
  end(): void;
  /** Breaks the connection off. */
  cut(): void;
  /** Answers a page of a list. */
  rows(rows: readonly object[], nextCursor?: string): void;
  /** Answers a problem. */
  refuse(status: number, headers?: Readonly<Record<string, string>>): void;
}

/** A server whose requests are answered by the test, in any order. */
export interface RowServer {
  readonly baseUrl: string;
  /** The next request for a stream of events. */
  stream(): Promise<Asked>;
  /** The next request for a list. */
  list(): Promise<Asked>;
  /** How many requests of both kinds have come. */
  readonly counts: { streams: number; lists: number };
  client(options?: Partial<ClientOptions>): ReturnType<typeof createClient<ShopService>>;
}

/** The requests of a kind that came and were not asked for yet. */
class Arrivals {
  readonly #come: Asked[] = [];
  readonly #waiting: ((asked: Asked) => void)[] = [];

  add(asked: Asked): void {
    const resolve = this.#waiting.shift();
    if (resolve) resolve(asked);
    else this.#come.push(asked);
  }

  next(): Promise<Asked> {
    const asked = this.#come.shift();
    return asked ? Promise.resolve(asked) : new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** Starts a server on a socket, until the end of the test. */
export async function startRowServer(): Promise<RowServer> {
  const kinds = { streams: new Arrivals(), lists: new Arrivals() };
  const counts = { streams: 0, lists: 0 };
  const server = createServer((request, response) => {
    const kind = request.headers.accept === "text/event-stream" ? "streams" : "lists";
    counts[kind] += 1;
    kinds[kind].add(askedOf(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    baseUrl,
    counts,
    stream: () => kinds.streams.next(),
    list: () => kinds.lists.next(),
    client: (options) => createClient<ShopService>({ baseUrl, ...options } as never),
  };
}

function askedOf(request: IncomingMessage, response: ServerResponse): Asked {
  const answer = (status: number, type: string, body: object, headers = {}) =>
    void response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
  return {
    url: new URL(request.url ?? "", "http://a"),
    headers: request.headers,
    closed: new Promise((resolve) => response.once("close", resolve)),
    send(text) {
      if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(text);
    },
    end: () => void response.end(),
    cut: () => void request.socket.destroy(),
    rows: (data, nextCursor) => answer(200, "application/json", { data, meta: { nextCursor: nextCursor ?? null } }),
    refuse: (status, headers) =>
      answer(status, "application/problem+json", { type: "about:blank", title: "Refused", status, detail: "Refused.", code: "REFUSED" }, headers),
  };
}

/** An event on the wire. */
export function wire(event: string, data: object = {}, id?: string): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** The first lines of each stream: tests reconnect at once. */
export const quickly = "retry: 1\n\n";
