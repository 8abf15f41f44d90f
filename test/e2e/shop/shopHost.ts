import type { Service } from "restwright";
import { type SubscriberApi, subscribers } from "restwright/subscribers";
import type { Listening, StartHost } from "../../../examples/shop/host.js";
import { writeReceipts } from "../../../examples/shop/receipts.js";
import * as resources from "../../../examples/shop/resources.js";
import { type FullService, type FullServiceOptions, fullService } from "../../tools/fullService.js";
import type { OpenStorage } from "./shopPlaces.js";
import type { Host } from "./shopProcess.js";

/** Has a service listen behind a host of the shop, in this process and on a free port. */
export async function listen(host: Host, service: Service): Promise<Listening> {
  const { start }: { start: StartHost } = await import(`../../../examples/shop/${host}.ts`);
  return start(service, { port: 0, address: "127.0.0.1", basePath: "" });
}

/** A shop that listens in this process. */
export interface ShopHost {
  readonly port: number;
  readonly service: FullService & SubscriberApi;
  close(): Promise<void>;
}

/** Opens a storage and has the whole shop listen on it. */
export async function startShopHost(host: Host, open: OpenStorage, options: Partial<FullServiceOptions> = {}): Promise<ShopHost> {
  const [storage, drop] = await open();
  const more = [subscribers({ pollMs: 100 })];
  const all = { resources: Object.values(resources), storage, notFound: "problem", jobs: { pollMs: 100 }, more, ...options } as const;
  const service = fullService(all) as FullService & SubscriberApi;
  writeReceipts(service);
  await service.start();
  const at = await listen(host, service);
  return {
    port: at.port,
    service,
    async close() {
      await at.close(async () => {});
      await service.close();
      await drop();
    },
  };
}
