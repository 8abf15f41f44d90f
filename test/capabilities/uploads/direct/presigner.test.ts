import { createHash } from "node:crypto";
import { FakeClock } from "restwright/testing";
import { type PresignedRequest, type PresignedUse, presignedBytes, presigner } from "restwright/uploads";
import { describe, expect, test } from "vitest";

const secrets = ["a secret of many bytes"];
const clock = new FakeClock(1_767_225_600_000);
const { sign, verify } = presigner({ secrets, clock });
const sha256 = createHash("sha256").update("hello").digest("hex");
const use = { method: "PUT", path: "/files/a%20b", owner: "ada", contentType: "image/svg+xml", size: 5, sha256 } as const satisfies PresignedUse;
const headers = { contentType: "image/svg+xml", contentLength: "5" };

function requestOf(address: string, changes: Partial<PresignedRequest> = {}): PresignedRequest {
  const [path = "", query = ""] = address.split("?");
  return { method: "PUT", path, query, owner: "ada", ...headers, ...changes };
}

/** The code of what is thrown. */
function refusalOf(request: PresignedRequest): string {
  try {
    verify(request);
    return "taken";
  } catch (error) {
    return String((error as { readonly code: unknown }).code);
  }
}

describe("an address", () => {
  const address = sign(use, 900);

  test("says what the body has to be, and is known again", () => {
    expect(address).toMatch(new RegExp(`^/files/a%20b\\?e=1767226500&k=[\\w-]{8}&s=[\\w-]{43}&t=image%2Fsvg%2Bxml&n=5&h=${sha256}$`));
    expect(verify(requestOf(address))).toEqual({ contentType: "image/svg+xml", size: 5, sha256 });
  });

  test("may be for anything", () => {
    const open = sign({ method: "PUT", path: "/a" }, 1);
    expect(open).toMatch(/^\/a\?e=\d+&k=[\w-]+&s=[\w-]+$/);
    expect(verify(requestOf(open, { owner: undefined, contentType: undefined, contentLength: "7" }))).toEqual({});
    expect(refusalOf(requestOf(open, { owner: undefined, contentLength: undefined }))).toBe("LENGTH_REQUIRED");
  });

  test("for GET is one for HEAD, and asks for no body", () => {
    const download = sign({ method: "GET", path: "/a", owner: "ada" }, 900);
    for (const method of ["GET", "HEAD"]) expect(refusalOf(requestOf(download, { method, contentLength: undefined }))).toBe("taken");
    expect(refusalOf(requestOf(download))).toBe("INVALID_SIGNATURE");
  });

  test.each<{ name: string; tamper?: (address: string) => string; changes?: Partial<PresignedRequest> }>([
    { name: "another path", tamper: (text) => text.replace("a%20b", "a%20c") },
    { name: "another spelling of the path", tamper: (text) => text.replace("%20", "+") },
    { name: "another method", changes: { method: "GET" } },
    { name: "another owner", changes: { owner: "bo" } },
    { name: "no owner", changes: { owner: undefined } },
    { name: "another expiry", tamper: (text) => text.replace("e=1767226500", "e=1767226501") },
    { name: "another signature", tamper: (text) => text.replace(/s=./, (first) => (first === "s=1" ? "s=2" : "s=1")) },
    { name: "another type", tamper: (text) => text.replace("svg", "png") },
    { name: "another spelling of the type", tamper: (text) => text.replace("%2F", "/") },
    { name: "another size", tamper: (text) => text.replace("n=5", "n=6") },
    { name: "another spelling of the size", tamper: (text) => text.replace("n=5", "n=05") },
    { name: "another hash", tamper: (text) => text.replace("&h=", "&h=0") },
    { name: "no type", tamper: (text) => text.replace(/&t=[^&]+/, "") },
    { name: "no size", tamper: (text) => text.replace("&n=5", "") },
    { name: "no hash", tamper: (text) => text.replace(/&h=\w+/, "") },
    { name: "the size twice", tamper: (text) => `${text}&n=5` },
    { name: "another size as well", tamper: (text) => `${text}&n=6` },
    { name: "an empty type as well", tamper: (text) => `${text}&t=` },
    { name: "the expiry twice", tamper: (text) => `${text}&e=1767226500` },
    { name: "what nobody knows", tamper: (text) => `${text}&x=1` },
    { name: "nothing", tamper: (text) => `${text}&` },
  ])("with $name is none", ({ tamper = (text) => text, changes }) => {
    expect(refusalOf(requestOf(tamper(address), changes))).toBe("INVALID_SIGNATURE");
  });

  test("takes nothing that it was not signed for", () => {
    for (const name of ["t=image/png", "n=5", "n=abc", "n=", `h=${sha256}`])
      expect(refusalOf(requestOf(`${sign({ method: "PUT", path: "/a", owner: "ada" }, 900)}&${name}`))).toBe("INVALID_SIGNATURE");
  });

  test.each<readonly [string, Partial<PresignedRequest>, string]>([
    ["no length", { contentLength: undefined }, "LENGTH_REQUIRED"],
    ["another length", { contentLength: "6" }, "FILE_TOO_LARGE"],
    ["a length that is none", { contentLength: "many" }, "FILE_TOO_LARGE"],
    ["another type", { contentType: "text/html" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["no type", { contentType: undefined }, "UNSUPPORTED_MEDIA_TYPE"],
    ["a coding", { contentEncoding: "gzip" }, "UNSUPPORTED_MEDIA_TYPE"],
  ])("takes no body with %s", (_name, changes, code) => {
    expect(refusalOf(requestOf(address, changes))).toBe(code);
  });

  test("ends", () => {
    const later = new FakeClock(clock.now() + 899_999);
    const other = presigner({ secrets: ["another secret of ours", ...secrets], clock: later });
    expect(other.verify(requestOf(address))).toMatchObject({ size: 5 });
    later.advance(1);
    expect(() => other.verify(requestOf(address))).toThrow("was valid until");
  });

  test.each([
    [use, 0],
    [use, 604_801],
    [use, 1.5],
    [{ ...use, size: -1 }, 900],
    [{ ...use, contentType: "" }, 900],
    [{ ...use, sha256: sha256.toUpperCase() }, 900],
  ])("is not signed for %o and %d seconds", (wrong, seconds) => {
    expect(() => sign(wrong, seconds)).toThrow(RangeError);
  });

  test("needs a secret", () => {
    for (const wrong of [[], ["short"]]) expect(() => presigner({ secrets: wrong })).toThrow("secret");
  });
});

describe("bytes", () => {
  async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array, void, undefined> {
    for (const text of texts) yield Buffer.from(text);
  }
  async function read(source: AsyncIterable<Uint8Array>): Promise<string> {
    let text = "";
    try {
      for await (const chunk of source) text += Buffer.from(chunk).toString();
      return text;
    } catch (error) {
      return `${text} ${String((error as { readonly code: unknown }).code)}`;
    }
  }

  test("pass as they are, as long as they are those that were announced", async () => {
    expect(await read(presignedBytes(chunks("hel", "lo"), { size: 5, sha256 }))).toBe("hello");
    expect(await read(presignedBytes(chunks("any"), {}))).toBe("any");
    expect(await read(presignedBytes(chunks("hel", "lo", "!"), { size: 5 }))).toBe("hello FILE_TOO_LARGE");
    expect(await read(presignedBytes(chunks("hel"), { size: 5 }))).toBe("hel UPLOAD_INCOMPLETE");
    expect(await read(presignedBytes(chunks("hallo"), { size: 5, sha256 }))).toBe("hallo CHECKSUM_MISMATCH");
  });
});
