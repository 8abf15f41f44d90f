import { type BlobStore, createService, defineResource, type Storage, type Verifier } from "restwright";
import { jobs } from "restwright/jobs";
import { transfer } from "restwright/transfer";
import { z } from "zod";

/** The code of docs/guides/imports-and-exports.md, which a test compares with the page. */
export function importsAndExports(storage: Storage, blobs: BlobStore, auth: readonly Verifier[]) {
  const products = defineResource("products", {
    schema: z.object({ id: z.int(), sku: z.string().min(1), title: z.string().min(1), price: z.number().min(0) }),
    generated: { id: "increment" },
    unique: ["sku"],
  });

  const service = createService({ resources: [products], storage, auth, use: [jobs(), transfer({ blobs })] });

  return service;
}
