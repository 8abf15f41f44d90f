import { createService, defineResource, type Storage } from "restwright";
import { bearerJwt } from "restwright/jwt";
import { z } from "zod";

/** The code of docs/guides/own-rows.md, which a test compares with the page. */
export function ownRows(storage: Storage, secret: string) {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.uuid(), text: z.string().min(1), ownerId: z.string() }),
    generated: { id: "uuid" },
    stamp: { ownerId: ({ principal }) => principal.id },
    scope: ({ principal }) => principal.claims?.["role"] === "admin" || { ownerId: principal.id },
  });

  const service = createService({
    resources: [notes],
    storage,
    auth: [bearerJwt({ key: secret, issuer: "notes", audience: "notes" })],
  });

  return service;
}
