import { belongsTo, createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { createClient } from "restwright/client";
import { startUpload } from "restwright/client/uploads";
import { jobs } from "restwright/jobs";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { searches } from "restwright/searches";
import { file, uploads } from "restwright/uploads";
import { onTestFinished } from "vitest";
import { z } from "zod";

const customers = defineResource("customers", {
  schema: z.object({ id: z.int(), name: z.string() }),
  generated: { id: "increment" },
});

const orders = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    title: z.string().min(1),
    status: z.enum(["open", "paid"]).default("open"),
    total: z.number().min(0),
    note: z.string().nullable().default(null),
    tags: z.array(z.string()).default([]),
    address: z.object({ city: z.string(), zip: z.string().optional() }).optional(),
    customerId: z.int().nullable().default(null),
    contract: file(["text/plain"]).nullable().default(null),
    updatedAt: z.date(),
  }),
  generated: { id: "increment", updatedAt: "updatedAt" },
  unique: ["title"],
  relations: { customer: belongsTo("customers", "customerId") },
  search: ["title"],
  compact: ["id", "title", "status", "total"],
});

const products = defineResource("products", { schema: z.object({ sku: z.string(), price: z.number() }), id: "sku" });

const lines = defineResource("lines", {
  schema: z.object({ orderId: z.int(), line: z.string(), amount: z.int() }),
  id: ["orderId", "line"],
});

/** A request that a provider has sent. */
export interface Sent {
  readonly method: string;
  /** With its query, decoded. */
  readonly path: string;
  readonly ifMatch: string | null;
  readonly body: string;
}

/** A service without a network, a client of it, and what the client sends. */
export function openAdminStage({ hasBatches = true, limits = {} }: { readonly hasBatches?: boolean; readonly limits?: object } = {}) {
  const service = createService({
    resources: [customers, orders, products, lines],
    storage: memoryStorage(),
    logger: false,
    limits,
    use: [jobs(), searches(), uploads({ blobs: memoryBlobs(), types: ["text/plain"] }), ...(hasBatches ? [batch()] : [])],
  });
  onTestFinished(() => service.close());
  const sent: Sent[] = [];
  const client = createClient<typeof service>({
    baseUrl: "http://admin.test/",
    async fetch(request) {
      const { method, url, headers } = request;
      const body = await request.clone().text();
      sent.push({ method, path: decodeURIComponent(url.replace("http://admin.test", "")), ifMatch: headers.get("if-match"), body });
      return service.fetch(request);
    },
  });
  const upload = (contract: Blob) => startUpload(client, contract, { storage: false }).done;
  return { service, client, sent, upload };
}
