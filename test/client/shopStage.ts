import { type Client, createClient } from "restwright/client";
import { afterAll, beforeAll } from "vitest";
import { createShop } from "../../examples/shop/api.js";
import { readSettings } from "../../examples/shop/settings.js";
import { listen } from "../e2e/shop/shopHost.js";

export type ShopService = ReturnType<typeof createShop>;
export type ShopClient = Client<ShopService>;
export type ShopOptions = Parameters<typeof createClient<ShopService>>[0];

/** Where a client reaches the shop. */
export const ways = ["in process", "over a socket"] as const;

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

/** The shop of the examples, and clients of it. */
export interface Stage {
  readonly service: ShopService;
  readonly baseUrl: string;
  /** A client of the admin of the tenant `a`. */
  client(options?: Partial<ShopOptions>): ShopClient;
}

/** Opens a shop for the tests of a file. */
export function openShop(way: (typeof ways)[number], variables: Readonly<Record<string, string>> = {}): () => Stage {
  let stage: Stage | undefined;
  let close = async () => {};
  beforeAll(async () => {
    const service = createShop(readSettings({ DATA_DIR: ":memory:", SHOP_AUTH: "on", ...variables }), quiet);
    const at = way === "in process" ? undefined : await listen("fastify", service);
    const place = at === undefined ? { baseUrl: "http://localhost", fetch: service.fetch } : { baseUrl: `http://127.0.0.1:${at.port}` };
    stage = {
      service,
      baseUrl: place.baseUrl,
      client: (options) => createClient<ShopService>({ ...place, auth: () => ({ authorization: "Bearer alice" }), ...options }),
    };
    close = async () => {
      await at?.close(async () => {});
      await service.close();
    };
  });
  afterAll(() => close());
  return () => {
    if (stage === undefined) throw new Error("The shop is open within tests only.");
    return stage;
  };
}
