import type { Send } from "./transport.js";

/** Where a client has its transport. A symbol of all modules, as a page may have two copies of this one. */
export const transportKey = Symbol.for("restwright.client.transport");

/** What sends the requests of a client, and the address of its service. */
export interface ClientTransport {
  readonly send: Send;
  readonly baseUrl: string;
}

/** The transport of a client of `createClient`. @throws {TypeError} for anything else; `place` is the function that needs it */
export function transportOf(client: object, place: string): ClientTransport {
  const transport = (client as Readonly<Record<symbol, ClientTransport | undefined>> | undefined)?.[transportKey];
  if (transport === undefined) throw new TypeError(`${place} needs a client of createClient.`);
  return transport;
}
