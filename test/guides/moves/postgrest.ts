import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { searches } from "restwright/searches";
import { z } from "zod";

/** The code of docs/guides/from-postgrest.md, which a test compares with the page. */
export function people(storage: Storage, auth: readonly Verifier[]) {
  const people = defineResource("people", {
    schema: z.object({ id: z.int(), name: z.string(), age: z.int(), category: z.string().nullable().default(null), owner: z.string() }),
    generated: { id: "increment" },
    unique: ["name"],
    stamp: { owner: ({ principal }) => principal.id },
    scope: ({ principal, action }) => action === "read" || { owner: principal.id },
  });

  const service = createService({ resources: [people], storage, auth, use: [jobs(), batch(), searches()] });

  return service;
}
