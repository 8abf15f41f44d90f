import { expect, test } from "vitest";
import { hashPassword, keepHash, verifyPassword } from "../../../examples/shop/passwords.js";

test("a hash fits its password only, and has a salt of its own", async () => {
  const [one, other] = await Promise.all([hashPassword("open sesame"), hashPassword("open sesame")]);
  expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(other).not.toBe(one);
  expect(await Promise.all([one, other].map((hash) => verifyPassword("open sesame", hash)))).toEqual([true, true]);
  expect(await verifyPassword("open Sesame", one)).toBe(false);
});

test("what is no hash fits no password", async () => {
  const hash = await hashPassword("12345678");
  for (const text of [
    "",
    "12345678",
    "$scrypt$",
    hash.replace("ln=14", "ln=40"),
    hash.replace("ln=14", "ln=0"),
    hash.replace("p=1", "p=0"),
    `${hash} `,
  ]) {
    expect(await verifyPassword("12345678", text), text).toBe(false);
  }
});

test("only a password that was sent makes a hash", async () => {
  for (const changes of [undefined, {}, { password: undefined }]) expect(await keepHash({ changes })).toBeUndefined();
  expect(await keepHash({ changes: { password: "12345678" } })).toEqual({ passwordHash: expect.stringContaining("$scrypt$"), password: undefined });
});
