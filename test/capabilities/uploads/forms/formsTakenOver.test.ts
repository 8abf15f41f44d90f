// @long

import { setTimeout as sleep } from "node:timers/promises";
import type { Storage, UploadStore } from "restwright";
import { type FileCheck, pass, type Verdict } from "restwright/checks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { UploadData } from "../../../../src/capabilities/uploads/records/upload.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { leftOf } from "../left.js";
import { type UploadPlace, uploadPlaces } from "../places.js";
import { PacedClock } from "../resumable/pacedClock.js";
import { type UploadStage, uploadStage } from "../stage.js";
import { formData } from "./formStage.js";

/** Five seconds pass in one: a process that is silent need not be waited for in real time. */
const speed = 5;
const soon = { timeout: 20_000, interval: 20 };
const three = () => formData(["a", "1.txt", "one"], ["b", "2.txt", "two"], ["c", "3.txt", "three"]);

/** A check that says of each file what it is told, by name, and waits while that is nothing. */
class ToldCheck implements FileCheck {
  readonly name = "told";
  readonly needs = "file";
  readonly said = new Map<string, Verdict>();
  readonly asked: string[] = [];
  #isOver = false;

  async run({ filename }: { readonly filename: string }): Promise<Verdict> {
    this.asked.push(filename);
    while (!this.said.has(filename) && !this.#isOver) await sleep(20);
    return this.said.get(filename) ?? pass;
  }

  sayAll(verdict: Verdict): this {
    for (const name of ["1.txt", "2.txt", "3.txt"]) this.said.set(name, verdict);
    return this;
  }

  end(): void {
    this.#isOver = true;
  }
}

/** A storage whose records of uploads cannot be reached any more once the process is dead. */
function mortal(storage: Storage, diesAt: (changes: string) => boolean = () => false): { readonly storage: Storage; die(): void } {
  const { uploads } = storage;
  if (uploads === undefined) throw new Error("The storage keeps no records of uploads.");
  let isDead = false;
  const living: ProxyHandler<UploadStore> = {
    get: (store, name) => {
      const method = Reflect.get(store, name);
      if (typeof method !== "function") return method;
      return async (...given: unknown[]) => {
        isDead ||= name === "update" && diesAt(JSON.stringify(given[2]));
        if (isDead) throw new Unavailable("The process is dead.");
        return Reflect.apply(method, store, given);
      };
    },
  };
  const mortalUploads = new Proxy(uploads, living);
  const handler: ProxyHandler<Storage> = { get: (store, name) => (name === "uploads" ? mortalUploads : Reflect.get(store, name, store)) };
  return {
    storage: new Proxy(storage, handler),
    die: () => {
      isDead = true;
    },
  };
}

describe.each(uploadPlaces)("a form of several files, on %s,", (_, openPlace) => {
  let place: UploadPlace;
  let clock: PacedClock;
  beforeEach(() => {
    clock = new PacedClock(speed);
  });
  const passMs = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
  const stores = () => clock.heldBy(place.stores());
  const stages: UploadStage[] = [];
  const checks: ToldCheck[] = [];
  afterEach(async () => {
    for (const check of checks.splice(0)) check.end();
    for (const stage of stages.splice(0)) await stage.close();
    await place.remove();
  });

  /** A process on the place, with a check of its own. */
  async function open(check: ToldCheck, own: { readonly storage: Storage }) {
    const form = { types: "any", checks: [check], limits: { files: 3 } } as const;
    const stage = await uploadStage({ clock, timers: clock, ...stores(), ...own, uploads: { checkMs: 3_600_000, forms: { avatars: form } } });
    stages.push(stage);
    checks.push(check);
    // It sweeps from its start on, which would be its first request.
    await stage.service.start();
    return { stage, post: () => fetch(`${stage.origin}/avatars`, { method: "POST", body: three() }) };
  }

  const idsOf = async (answer: Response) =>
    ((await answer.json()) as { readonly files: readonly { readonly id: string }[] }).files.map(({ id }) => id);
  const dataOf = async ({ storage }: UploadStage, id: string) => (await storage.uploads?.get(id))?.data as UploadData | undefined;
  const statusesOf = (stage: UploadStage, ids: readonly string[]) => Promise.all(ids.map(async (id) => (await dataOf(stage, id))?.status));

  test("belongs to the process that checks it, as long as that lives", async () => {
    place = await openPlace();
    const check = new ToldCheck();
    const { post } = await open(check, stores());
    const other = new ToldCheck();
    await open(other, stores());
    const posted = post();
    for (const name of ["1.txt", "2.txt", "3.txt"]) {
      await expect.poll(() => check.asked, soon).toContain(name);
      await passMs(4_500);
      check.said.set(name, pass);
    }
    expect((await posted).status).toBe(201);
    expect(other.asked).toEqual([]);
  });

  test("is discarded seconds after its process died while it checked it, as nobody was answered", async () => {
    place = await openPlace();
    const check = new ToldCheck();
    const { storage, die } = mortal(stores().storage);
    const { post } = await open(check, { storage });
    const posted = post();
    check.said.set("1.txt", pass);
    await expect.poll(() => check.asked, soon).toContain("2.txt");
    const { stage: living } = await open(new ToldCheck(), stores());
    await passMs(4_500);
    expect((await leftOf(living)).keys).toHaveLength(3);
    die();
    const died = clock.now();
    await expect.poll(() => leftOf(living), soon).toMatchObject({ keys: [], use: { open: 0, bytes: 0 } });
    expect(clock.now() - died).toBeLessThan(60_000);
    check.sayAll(pass);
    expect((await posted).status).toBe(410);
  });

  test("is checked again seconds after its process died while it did so, where its client was answered", async () => {
    place = await openPlace();
    const check = new ToldCheck().sayAll({ verdict: "defer" });
    const { storage, die } = mortal(stores().storage);
    const { stage, post } = await open(check, { storage });
    const answer = await post();
    expect(answer.status).toBe(202);
    const ids = await idsOf(answer);
    check.said.clear();
    const first = await stage.storage.uploads?.get(ids[0] ?? "");
    await stage.storage.uploads?.update(first?.id ?? "", first?.version ?? 0, { dueAt: new Date(clock.now()) });
    await expect.poll(() => check.asked, soon).toHaveLength(4);
    const { stage: living } = await open(new ToldCheck().sayAll(pass), stores());
    await passMs(4_500);
    expect(await statusesOf(living, ids)).toEqual(["processing", "processing", "processing"]);
    die();
    const died = clock.now();
    await expect.poll(() => statusesOf(living, ids), soon).toEqual(["ready", "ready", "ready"]);
    expect(clock.now() - died).toBeLessThan(60_000);
  });

  test("is there as a whole seconds after its process died between two of its files", async () => {
    place = await openPlace();
    let ready = 0;
    const { storage } = mortal(stores().storage, (changes) => {
      if (changes.includes('"status":"ready"')) ready += 1;
      return ready === 2;
    });
    const { post } = await open(new ToldCheck().sayAll(pass), { storage });
    const { stage: living } = await open(new ToldCheck(), stores());
    expect((await post()).status).toBe(503);
    const died = clock.now();
    const ids = (await leftOf(living)).keys.map((key) => key.slice("upload_".length));
    await expect.poll(() => statusesOf(living, ids), soon).toEqual(["ready", "ready", "ready"]);
    expect(clock.now() - died).toBeLessThan(60_000);
  });
});
