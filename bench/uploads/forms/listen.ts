import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Where a server of forms keeps files, and where the parsers are that are no dependencies. */
export interface FormPlaces {
  readonly folder: string;
  readonly peers: string;
}

/** Resolves to the port. */
export async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A listener that answers 201 when the file of a request is there, and ends the process where it cannot be taken. */
export function taking(take: (...exchange: Parameters<RequestListener>) => Promise<void>): RequestListener {
  return async (request, response) => {
    await take(request, response);
    response.writeHead(201, { "content-length": "0" }).end();
  };
}
