import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { z } from "zod";

/** The code of docs/guides/who-sees-what.md, which a test compares with the page. */
export function hiddenFields(storage: Storage, auth: readonly Verifier[]) {
  const people = defineResource("people", {
    schema: z.object({ id: z.int(), name: z.string(), salary: z.number().optional(), pin: z.string().optional() }),
    generated: { id: "increment" },
    access: {
      salary: { read: ({ claims }) => claims?.["role"] === "hr", write: ({ claims }) => claims?.["role"] === "hr", onForbidden: "403" },
      pin: { read: false },
    },
  });

  return createService({ resources: [people], storage, auth });
}
