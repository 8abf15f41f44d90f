import { makeClient } from "./client.js";
import type { ClientOptions } from "./options.js";
import type { Client, OptionsOf, ServiceTypes } from "./types/client.js";

/**
 * A typed client of a service. It needs the type of the service only, by `import type`, so that nothing of the server is bundled.
 *
 * @typeParam S the service, as `typeof api`
 * @typeParam Custom types of events that the service emits by itself
 * @throws {TypeError} for unknown options
 * @example
 * const shop = createClient<typeof api>({ baseUrl: "https://example.com/v1" });
 * const { data } = await shop.orders.list({ where: { total: { gte: 5 } }, sort: "-createdAt" });
 */
export function createClient<S extends ServiceTypes, Custom extends string = never>(options: OptionsOf<S>): Client<S, Custom> {
  return makeClient(options as ClientOptions) as unknown as Client<S, Custom>;
}
