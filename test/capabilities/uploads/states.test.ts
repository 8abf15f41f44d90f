import { describe, expect, test } from "vitest";
import { eventOfFollower, type FinishEvent, type Transition, transition } from "../../../src/capabilities/uploads/finish/states.js";
import type { StoredFile, StoredProblem, Upload, UploadData } from "../../../src/capabilities/uploads/records/upload.js";

const nowMs = Date.UTC(2026, 0, 1);
const [minuteMs, dayMs] = [60_000, 24 * 3_600_000];
const times = { nowMs, expiresMs: dayMs };
const later = (ms: number) => new Date(nowMs + ms);

const file: StoredFile = { key: "upload_1", contentType: "text/plain", size: 5, sha256: "00" };
const problem: StoredProblem = { code: "VIRUS_DETECTED", status: 422, detail: "It is one." };
const down: FinishEvent = { type: "unavailable", rejection: { verdict: "reject", code: "SCAN_UNAVAILABLE", status: 503, detail: "It is down." } };

function uploadWith(data: Partial<UploadData> = {}): Upload {
  const record = {
    id: "1",
    version: 3,
    tenant: undefined,
    owner: "ada",
    account: "principal ada",
    isOpen: true,
    bytes: 5,
    dueAt: undefined,
    data: null,
  };
  return { record, data: { kind: "plain", status: "processing", createdMs: 0, visibility: "private", filename: "a.txt", ...data } };
}

describe("an upload that has all of its bytes", () => {
  test.each<[string, FinishEvent, Pick<Transition, "to" | "effect">, object]>([
    ["is ready once it is accepted", { type: "accepted", file }, { to: "ready", effect: "announce" }, { isOpen: false, bytes: 5, dueAt: undefined }],
    [
      "is rejected, for a week",
      { type: "rejected", problem },
      { to: "rejected", effect: "removeBlobs" },
      { isOpen: false, bytes: 0, dueAt: later(7 * dayMs) },
    ],
    [
      "is gone if its bytes are missing",
      { type: "missing" },
      { to: "gone", effect: "removeBlobs" },
      { isOpen: false, bytes: 0, dueAt: later(7 * dayMs) },
    ],
    ["is gone once it is ended", { type: "ended" }, { to: "gone", effect: "removeBlobs" }, { isOpen: false, bytes: 0, dueAt: later(7 * dayMs) }],
    ["is tried again if a check defers the decision", { type: "deferred" }, { to: "retry", effect: undefined }, { dueAt: later(minuteMs) }],
    ["is tried again if a check could not run", down, { to: "retry", effect: undefined }, { dueAt: later(minuteMs) }],
  ])("%s", (_what, event, expected, changes) => {
    const { changes: got, ...rest } = transition(uploadWith(), event, times);
    expect(rest).toEqual(expected);
    const { data = {}, ...record } = got;
    expect(record).toEqual(changes);
    expect(data.status).toBe(expected.to === "retry" ? undefined : expected.to);
  });

  test("keeps the file, its length and no draft when it is ready", () => {
    const { changes } = transition(uploadWith(), { type: "accepted", file }, times);
    expect(changes.data).toEqual({ status: "ready", file, length: 5, draft: undefined, isWaiting: undefined });
  });

  test("stays open for as long as unfinished uploads if it is a piece of a concatenation", () => {
    const { changes } = transition(uploadWith({ concat: "partial", length: 5 }), { type: "accepted", file }, times);
    expect(changes).toMatchObject({ isOpen: true, dueAt: later(dayMs), bytes: 5 });
  });

  test("keeps of a rejection what its client may know, and nothing else", () => {
    const rejection = { ...problem, verdict: "reject", cause: new Error("The socket of the scanner.") };
    const { changes } = transition(uploadWith(), { type: "rejected", problem: rejection }, times);
    expect(changes.data?.problem).toEqual(problem);
    expect(changes.data).toMatchObject({ file: undefined, draft: undefined });
  });

  test("loses its lock when it is ended", () => {
    const { changes } = transition(uploadWith({ status: "uploading", holder: "token", isWanted: true }), { type: "ended" }, times);
    expect(changes.data).toEqual({ status: "gone", draft: undefined, file: undefined, holder: undefined, isWanted: undefined, isWaiting: undefined });
  });

  test("is acknowledged only with an answer", () => {
    expect(transition(uploadWith(), { type: "deferred", isAnswered: true }, times).changes.data).toEqual({ isAcknowledged: true });
    expect(transition(uploadWith(), { type: "deferred" }, times).changes.data).toEqual({});
    expect(transition(uploadWith(), down, times).changes.data).toEqual({});
  });
});

test("a file of a form waits for its next try, and does so no longer once it has ended", () => {
  const upload = uploadWith({ together: ["1", "2"] });
  expect(transition(upload, { type: "deferred", isAnswered: true }, times).changes.data).toEqual({ isWaiting: true, isAcknowledged: true });
  expect(transition(upload, down, times).changes.data).toEqual({ isWaiting: true });
  const ends: readonly FinishEvent[] = [{ type: "accepted", file }, { type: "rejected", problem }, { type: "missing" }, { type: "ended" }];
  for (const event of ends) expect(transition(upload, event, times).changes.data).toMatchObject({ isWaiting: undefined });
});

describe("another file of a form", () => {
  test.each<[string, Partial<UploadData> | undefined, Partial<UploadData>, FinishEvent | undefined]>([
    ["is accepted once the first is ready", { status: "ready" }, { file }, { type: "accepted", file }],
    ["is ended if the first is ready without it", { status: "ready" }, {}, { type: "ended" }],
    ["is rejected for what the first is rejected for", { status: "rejected", problem }, { file }, { type: "rejected", problem }],
    ["is ended with the first", { status: "gone" }, { file }, { type: "ended" }],
    ["is ended if there is no first any more", undefined, { file }, { type: "ended" }],
    ["waits with the first", { status: "processing", isWaiting: true }, { file }, { type: "deferred" }],
    ["stays as it is while a process finishes the first", { status: "processing" }, { file }, undefined],
  ])("%s", (_what, first, other, event) => {
    expect(eventOfFollower(uploadWith(other), first && uploadWith(first))).toEqual(event);
  });
});
