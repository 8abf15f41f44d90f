import { setTimeout as sleep } from "node:timers/promises";
import { type FileCheck, pass, readCheckInput, reject, rejectionProblem, runChecks, type Verdict } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { fileOf } from "./samples/fileOf.js";

const check = (name: string, run: FileCheck["run"], rest: Partial<FileCheck> = {}): FileCheck => ({ name, needs: "file", run, ...rest });

describe("Checks", () => {
  test("run on the head first, then on the whole file, and those that rewrite it last", async () => {
    const ran: string[] = [];
    const noted = (name: string, rest: Partial<FileCheck>) =>
      check(
        name,
        async () => {
          ran.push(name);
          return pass;
        },
        rest,
      );
    const checks = [noted("rewrite", { rewrites: true }), noted("file", {}), noted("head", { needs: "head" }), noted("stream", { needs: "stream" })];
    expect(await runChecks(checks, await fileOf("a.txt", "text"))).toEqual({
      verdict: "pass",
      detectedType: "text/plain",
      bytes: undefined,
      deferredTo: [],
    });
    expect(ran).toEqual(["head", "file", "stream", "rewrite"]);
  });

  test("end with the first that refuses the file", async () => {
    const never = check("never", () => expect.fail("It must not run."));
    const refusing = check("virus", async () => reject("VIRUS_DETECTED", "Found.", { signature: "Eicar" }), { needs: "head" });
    const outcome = await runChecks([never, refusing], await fileOf("a.txt", "text"));
    expect(outcome).toMatchObject({ verdict: "reject", status: 422, code: "VIRUS_DETECTED", extensions: { signature: "Eicar" } });
  });

  test("give those behind a rewriting one the bytes that it has made, and those bytes to the caller", async () => {
    const upper = check(
      "upper",
      async ({ readAll }) => ({
        verdict: "replace",
        bytes: Buffer.from(
          Buffer.from(await readAll(10))
            .toString()
            .toUpperCase(),
        ),
      }),
      { rewrites: true },
    );
    const doubled = check(
      "doubled",
      async ({ read, head, size }) => {
        let text = "";
        for await (const chunk of read({ start: 1, end: 9 })) text += chunk;
        return { verdict: "replace", bytes: Buffer.from(`<svg>${Buffer.from(head)}${text}${size}`) };
      },
      { rewrites: true },
    );
    const outcome = await runChecks([upper, doubled], await fileOf("a.txt", "ab"));
    expect(outcome).toMatchObject({ verdict: "pass", detectedType: "image/svg+xml" });
    expect("bytes" in outcome && Buffer.from(outcome.bytes ?? []).toString()).toBe("<svg>ABB2");
  });

  test("leave a file to those that judge it later, unless another one refuses it", async () => {
    const later = check("people", async () => ({ verdict: "defer" }));
    const input = await fileOf("a.txt", "text");
    expect(await runChecks([later, check("ours", async () => pass)], input)).toMatchObject({ verdict: "defer", deferredTo: ["people"] });
    expect(await runChecks([later, check("ours", async () => reject("UNSCANNABLE", "No."))], input)).toMatchObject({ code: "UNSCANNABLE" });
  });

  test.each<[string, FileCheck["run"], string]>([
    ["throws", () => Promise.reject(new Error("broken")), "SCAN_UNAVAILABLE"],
    [
      "throws at once",
      () => {
        throw new TypeError("broken");
      },
      "SCAN_UNAVAILABLE",
    ],
    ["throws a problem with a reason", () => Promise.reject(new ProblemError("UNSCANNABLE", "No.")), "UNSCANNABLE"],
    ["throws a problem of another kind", () => Promise.reject(new ProblemError("NOT_FOUND", "No.")), "SCAN_UNAVAILABLE"],
    ["has no verdict", async () => ({ verdict: "clean" }) as unknown as Verdict, "SCAN_UNAVAILABLE"],
    ["answers nothing", async () => undefined as unknown as Verdict, "SCAN_UNAVAILABLE"],
    ["reads more than it may", async ({ readAll }) => (await readAll(3)) && pass, "FILE_TOO_LARGE"],
  ])("refuse the file where one %s", async (_what, run, code) => {
    expect(await runChecks([check("broken", run)], await fileOf("a.txt", "text"))).toMatchObject({ verdict: "reject", code });
  });

  test("refuse the file where one takes too long, and tell it", async () => {
    let isTold = false;
    const slow = check("slow", async ({ signal }) => {
      await sleep(10_000, undefined, { signal, ref: false }).catch(() => {
        isTold = true;
      });
      return pass;
    });
    const outcome = await runChecks([slow], await fileOf("a.txt", "text"), { timeoutMs: 20 });
    expect(outcome).toMatchObject({ status: 503, code: "SCAN_UNAVAILABLE", detail: 'The check "slow" took longer than 20 ms.' });
    await sleep(0);
    expect(isTold).toBe(true);
  });

  test("end with the reason of the caller, who does not wait any more", async () => {
    const caller = new AbortController();
    const input = await fileOf("a.txt", "text", { signal: caller.signal });
    const running = runChecks([check("slow", () => new Promise(() => {}))], input);
    caller.abort(new Error("gone"));
    await expect(running).rejects.toThrow("gone");
    await expect(runChecks([check("ours", async () => pass)], input)).rejects.toThrow("gone");
  });

  test("end with that reason also where the caller leaves while a check begins", async () => {
    const caller = new AbortController();
    const leaving = check("leaving", () => {
      caller.abort(new Error("gone"));
      return new Promise(() => {});
    });
    await expect(runChecks([leaving], await fileOf("a.txt", "text", { signal: caller.signal }))).rejects.toThrow("gone");
  });

  test("pass on that the file cannot be read: that says nothing about the file", async () => {
    let reads = 0;
    async function* read(): AsyncGenerator<Uint8Array> {
      reads += 1;
      yield Buffer.from("te");
      if (reads > 1) throw new Error("disk");
    }
    const input = await readCheckInput({ filename: "a.txt", read });
    for (const needs of ["stream", "file"] as const) {
      const reading = check("ours", async (file) => {
        if (needs === "file") await file.readAll(100);
        for await (const _chunk of file.read());
        return pass;
      });
      await expect(runChecks([reading], input)).rejects.toThrow("disk");
    }
  });

  test("are answered with a problem, and a hint when to come again where nothing is said about the file", () => {
    const virus = rejectionProblem(reject("VIRUS_DETECTED", "Found.", { signature: "Eicar" }));
    expect(virus).toMatchObject({ status: 422, code: "VIRUS_DETECTED", extensions: { signature: "Eicar" }, headers: {} });
    expect(rejectionProblem(reject("SCAN_UNAVAILABLE", "Down.")).headers).toEqual({ "retry-after": "30" });
  });
});

test("A file is read no further than its head to tell its type, and has its extension behind the last dot", async () => {
  let read = 0;
  const input = await readCheckInput({
    filename: "Archive.TAR.Gz",
    declaredType: "Text/Plain; charset=utf-8",
    async *read() {
      for (;;) {
        read += 10_000;
        yield Buffer.alloc(10_000, "a");
      }
    },
  });
  expect(input).toMatchObject({ extension: "gz", declaredType: "text/plain", detectedType: "text/plain", size: undefined });
  expect(input.head.length).toBe(65_536);
  expect(read).toBe(70_000);
  await expect(input.readAll(100_000)).rejects.toMatchObject({ code: "FILE_TOO_LARGE", extensions: { limit: 100_000 } });
  expect((await readCheckInput({ filename: ".profile", read: async function* () {} })).extension).toBe("");
});
