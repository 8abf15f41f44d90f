import type { Service } from "restwright";
import type { Listening, StartHost } from "../../examples/shop/host.js";
import * as resources from "../../examples/shop/resources.js";
import { type FullServiceOptions, fullService } from "../fullService.js";
import type { OpenStorage } from "./shopPlaces.js";
import type { Host } from "./shopProcess.js";

/** Has a service listen behind a host of the shop, in this process and on a free port. */
export async function listen(host: Host, service: Service): Promise<Listening> {
  const { start }: { start: StartHost } = await import(`../../examples/shop/${host}.ts`);
  return start(service, { port: 0, address: "127.0.0.1", basePath: "" });
}

/** A shop that listens in this process. */
export interface ShopHost {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens a storage and has the whole shop listen on it. */
export async function startShopHost(host: Host, open: OpenStorage, options: Partial<FullServiceOptions> = {}): Promise<ShopHost> {
  const [storage, drop] = await open();
  const service = fullService({ resources: Object.values(resources), storage, notFound: "problem", jobs: { pollMs: 100 }, ...options });
  await service.start();
  const at = await listen(host, service);
  return {
    port: at.port,
    async close() {
      await at.close(async () => {});
      await service.close();
      await drop();
    },
  };
}
