import { createService, defineResource, type Storage } from "restwright";
import { change, versions } from "restwright/versions";
import { z } from "zod";

/** The code of the guide in docs/versions.md, which a test compares with the page. */
export function guide(storage: Storage) {
  const before = defineResource("users", {
    schema: z.object({ id: z.int(), name: z.string().min(1).max(200) }),
    generated: { id: "increment" },
  });

  const first = createService({
    resources: [before],
    storage,
    use: [versions({ vendor: "shop", schema: "v1", default: "v1", supported: { v1: {} } })],
  });

  const fields = z.object({
    id: z.int(),
    givenName: z.string().min(1).max(100),
    familyName: z.string().max(100).default(""),
  });

  const oneName = change({
    replaces: fields.pick({ givenName: true, familyName: true }),
    by: z.object({ name: z.string() }),
    read: ({ givenName, familyName }) => ({ name: familyName === "" ? givenName : `${givenName} ${familyName}` }),
    write({ name }) {
      const [givenName = "", ...others] = name.split(" ");
      return { givenName, familyName: others.join(" ") };
    },
  });

  const after = defineResource("users", { schema: fields, generated: { id: "increment" }, versions: { v1: [oneName] } });

  const second = createService({
    resources: [after],
    storage,
    use: [versions({ vendor: "shop", schema: "v2", default: "v1", supported: { v1: { deprecated: new Date("2026-11-01") }, v2: {} } })],
  });

  return { first, second };
}
