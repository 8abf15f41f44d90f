import { createService, defineResource, type Principal, type Service, type ServiceOptions, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { type LiveApi, type LiveOptions, live } from "restwright/live";
import { z } from "zod";

/** A collection that is followed. `secret` is hidden from all, and each owner sees their own rows. */
export const orders = defineResource("orders", {
  schema: z.object({
    id: z.string(),
    status: z.enum(["open", "paid", "closed"]).default("open"),
    total: z.number().default(0),
    owner: z.string().nullable().default(null),
    secret: z.string().nullable().default(null),
    serial: z.bigint().nullable().default(null),
  }),
  access: { secret: { read: false } },
  filter: ["status", "total", "owner"],
  sort: ["total"],
  scope: ({ principal }: { principal: Principal }) => (principal.scopes?.includes("all") ? true : { owner: principal.id }),
  live: true,
});

export type LiveService = Service<readonly [typeof orders]> & LiveApi;

export interface StageOptions extends Partial<Omit<ServiceOptions, "storage">> {
  readonly storage: Storage;
  readonly live?: LiveOptions;
}

function principalOf(token: string): Principal {
  const [id = "", tenant] = token.split(".");
  return { id, tenant, scopes: id === "admin" ? ["all"] : [] };
}

/** A service whose bearer tokens are the ids of principals; `admin` sees all rows. */
export function liveService({ storage, live: options, use = [], ...others }: StageOptions): LiveService {
  return createService({
    resources: [orders],
    storage,
    secrets: ["a secret of the service itself"],
    logger: false,
    auth: [bearer(principalOf)],
    use: [live(options), ...use],
    ...others,
  } as ServiceOptions) as unknown as LiveService;
}
