import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { z } from "zod";

/** The code of docs/guides/from-feathers.md, which a test compares with the page. */
export function chat(storage: Storage, auth: readonly Verifier[]) {
  const messages = defineResource("messages", {
    schema: z.object({ id: z.int(), text: z.string().min(1), roomId: z.int(), userId: z.string(), createdAt: z.date() }),
    generated: { id: "increment", createdAt: "createdAt" },
    stamp: { userId: ({ principal }) => principal.id },
    scope: ({ principal, action }) => action === "read" || { userId: principal.id },
    hooks: {
      beforeWrite: ({ changes }) => (changes?.text === undefined ? undefined : { text: changes.text.trim().slice(0, 400) }),
    },
  });

  const service = createService({ resources: [messages], storage, auth, use: [hooks(), jobs(), batch()] });

  return service;
}
