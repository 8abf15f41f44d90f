import { randomBytes, scrypt } from "node:crypto";
import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { equalSecrets } from "restwright/auth";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { transfer } from "restwright/transfer";
import { z } from "zod";

/** The code of docs/guides/hash-a-password.md, which a test compares with the page. */
export function hashAPassword(storage: Storage, auth: readonly Verifier[]) {
  const users = defineResource("users", {
    schema: z.object({ id: z.int(), email: z.email(), password: z.string().min(8).max(200) }),
    generated: { id: "increment" },
    unique: ["email"],
    access: { password: { read: false } },
    hooks: {
      async beforeWrite({ changes }) {
        if (changes?.password === undefined) return undefined;
        return { password: await hashOf(changes.password, randomBytes(16).toString("hex")) };
      },
    },
  });

  const service = createService({ resources: [users], storage, auth, use: [hooks(), batch(), transfer()] });

  function hashOf(password: string, salt: string): Promise<string> {
    return new Promise((resolve, reject) => {
      scrypt(password, salt, 32, { N: 2 ** 14, r: 8, p: 5 }, (error, key) => (error ? reject(error) : resolve(`${salt}.${key.toString("hex")}`)));
    });
  }

  async function hasPassword(email: string, password: string): Promise<boolean> {
    const { data } = await service.asSystem().users.list({ where: { email }, perPage: 1 });
    const stored = data[0]?.password ?? "";
    return equalSecrets(await hashOf(password, stored.split(".")[0] ?? ""), stored);
  }

  return { service, hasPassword };
}
