import { createClient } from "restwright/client";
import type { ShopClient, ShopOptions, ShopService } from "../shopStage.js";

/** Where a client reaches the shop, on any platform. */
export interface Place {
  readonly baseUrl: string;
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** What a case of the contract works with: nothing of a platform. */
export interface Stage {
  /** A client of the admin of the tenant `a`. */
  client(options?: Partial<ShopOptions>): ShopClient;
  /** A text that only this case of this run has, for unique values. */
  readonly name: string;
  newUser(): { name: string; email: string };
}

/** A case of the contract. */
export interface ContractCase {
  /** What the client does. */
  readonly name: string;
  /** Returns what was seen, as JSON. */
  run(stage: Stage): Promise<unknown>;
  /** What `run` returns on every platform. */
  readonly expected: unknown;
}

export function openStage(place: Place, name: string): Stage {
  let serial = 0;
  return {
    name,
    client: (options) => createClient<ShopService>({ ...place, auth: () => ({ authorization: "Bearer alice" }), ...options }),
    newUser() {
      serial += 1;
      return { name: `User ${serial}`, email: `${name}-${serial}@example.com` };
    },
  };
}
