import { createDecipheriv, hkdfSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfigurationError } from "../../../src/ground/problem/index.js";
import { createSecretBox } from "../../../src/ground/secrets/secretBox.js";
import { SecretBoxError } from "../../../src/ground/secrets/secretBoxError.js";
import { thrownBy } from "../../capabilities/webhooks/thrown.js";

const [first, second] = ["first secret, long enough", "second secret, long enough"];
const box = createSecretBox([first]);

const codeOf = (open: () => unknown) => {
  const error = thrownBy(open);
  expect(error).toBeInstanceOf(SecretBoxError);
  return (error as SecretBoxError).code;
};

describe("a secret box", () => {
  test("seals by AES-256-GCM with a key of its own, the nonce in front and the tag behind", () => {
    const bytes = Buffer.from(box.seal("text", "webhook 1").split(".")[1] ?? "", "base64url");
    const key = Buffer.from(hkdfSync("sha256", first, "", "restwright:secret-box", 32));
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(Buffer.from("webhook 1")).setAuthTag(bytes.subarray(-16));
    expect(decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8")).toBe("text");
  });

  test("opens what it sealed, and never seals alike", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (text, context) => {
        const [one, other] = [box.seal(text, context), box.seal(text, context)];
        expect(one).not.toBe(other);
        expect([box.open(one, context), box.open(other, context)]).toEqual([text, text]);
      }),
      { seed: 12 },
    );
  });

  test("shows nothing of the text", () => {
    expect(box.seal("hunter2 hunter2 hunter2", "1")).toMatch(/^[\w-]{8}\.[\w-]{68}$/);
  });

  test("does not open for another webhook", () => {
    expect(codeOf(() => box.open(box.seal("text", "1"), "2"))).toBe("UNREADABLE");
  });

  test("does not open what was changed, be it a single bit", () => {
    const sealed = box.seal("text", "1");
    const [id = "", body = ""] = sealed.split(".");
    const bytes = Buffer.from(body, "base64url");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(codeOf(() => box.open(`${id}.${changed.toString("base64url")}`, "1"))).toBe("UNREADABLE");
    }
    for (const other of ["", "AAAA", `${body}=`, `${body} `, body.slice(0, -2), `${body}AA`, bytes.subarray(0, 20).toString("base64url")]) {
      expect(codeOf(() => box.open(`${id}.${other}`, "1"))).toBe("UNREADABLE");
    }
  });

  test("with another secret says that it has no key", () => {
    expect(codeOf(() => createSecretBox([second]).open(box.seal("text", "1"), "1"))).toBe("UNKNOWN_KEY");
    for (const other of ["", ".", "text", "whsec_plain"]) expect(codeOf(() => box.open(other, "1"))).toBe("UNKNOWN_KEY");
  });

  test("seals with the first secret and opens with all: they can be changed without a break", () => {
    const [old, both, young] = [box, createSecretBox([second, first]), createSecretBox([second])];
    const sealed = old.seal("text", "1");
    expect(both.open(sealed, "1")).toBe("text");
    expect([old.isCurrent(sealed), both.isCurrent(sealed)]).toEqual([true, false]);
    const again = both.seal(both.open(sealed, "1"), "1");
    expect(both.isCurrent(again)).toBe(true);
    expect(young.open(again, "1")).toBe("text");
    expect(codeOf(() => young.open(sealed, "1"))).toBe("UNKNOWN_KEY");
  });

  test.each([[[]], [["too short"]], [[first, "too short"]]])("cannot be made of %j", (secrets) => {
    expect(() => createSecretBox(secrets)).toThrow(ConfigurationError);
  });

  test("has errors that are known by their brand", () => {
    expect(new Error("another")).not.toBeInstanceOf(SecretBoxError);
    expect(Object.assign(new Error("from another copy"), { [Symbol.for("restwright.SecretBoxError")]: true })).toBeInstanceOf(SecretBoxError);
  });
});
