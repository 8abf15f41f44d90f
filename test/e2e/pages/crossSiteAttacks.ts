/** Functions that the scripts below use; `api` is the address of the attacked service. */
const tools = `
  const fileOf = (text) => new File([text], "a.txt", { type: "text/plain" });
  const formData = () => { const data = new FormData(); data.append("file", fileOf("mallory")); return data; };
  /** Submits a form into a frame, and waits for the answer. */
  const submit = (path, enctype, fill) => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.name = "frame" + Math.random();
    document.body.append(frame);
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action: api + path, enctype, target: frame.name });
    fill(form);
    document.body.append(form);
    frame.addEventListener("load", () => setTimeout(resolve, 20));
    form.submit();
  });
  const addText = (name, value) => (form) => {
    const input = document.createElement("input");
    Object.assign(input, { name, value });
    form.append(input);
  };
  const addFile = (form) => {
    const input = document.createElement("input");
    Object.assign(input, { type: "file", name: "file" });
    const transfer = new DataTransfer();
    transfer.items.add(fileOf("mallory"));
    input.files = transfer.files;
    form.append(input);
  };
  const send = (path, init) => fetch(api + path, { method: "POST", credentials: "include", mode: "no-cors", ...init }).catch(() => {});
  const note = JSON.stringify({ text: "mallory" });
`;

/** What a page can send to another origin, by name. Each is a script. */
export const attacks: Readonly<Record<string, string>> = {
  "a form of fields": `await submit("/notes", "application/x-www-form-urlencoded", addText("text", "mallory"));`,
  "a form with a file": `await submit("/avatars", "multipart/form-data", addFile);`,
  "a form whose text is JSON": `await submit("/notes", "text/plain", addText('{"text":"mallory","x":"', '"}'));`,
  "a form that is a batch": `await submit("/batch", "multipart/form-data", addText("operations", '[{"method":"POST","path":"/notes","body":{"text":"mallory"}}]'));`,
  "an empty form": `await submit("/batches/1/cancel", "application/x-www-form-urlencoded", () => {});`,
  "a form with a method in its address": `await submit("/notes/1?_method=DELETE", "application/x-www-form-urlencoded", () => {});`,
  "JSON as text by fetch": `await send("/notes", { body: note });`,
  "JSON in a Blob without a type": `await send("/notes", { body: new Blob([note]) });`,
  "JSON in a Blob with its type, without asking first": `await send("/notes", { body: new Blob([note], { type: "application/json" }) });`,
  "JSON with its type in a header, without asking first": `await send("/notes", { body: note, headers: { "content-type": "application/json" } });`,
  "JSON with its type as a second parameter": `await send("/notes", { body: note, headers: { "content-type": "text/plain;application/json" } });`,
  "JSON, asking first": `await send("/notes", { mode: "cors", body: note, headers: { "content-type": "application/json" } });`,
  "a FormData by fetch": `await send("/avatars", { body: formData() });`,
  "a text file by fetch": `await send("/uploads", { body: "mallory" });`,
  "an empty POST by fetch": `await send("/batches/1/cancel", {});`,
  "a beacon with a FormData": `navigator.sendBeacon(api + "/avatars", formData()); await new Promise((resolve) => setTimeout(resolve, 300));`,
  "a beacon with JSON as text": `navigator.sendBeacon(api + "/notes", note); await new Promise((resolve) => setTimeout(resolve, 300));`,
  "a beacon with JSON": `navigator.sendBeacon(api + "/notes", new Blob([note], { type: "application/json" })); await new Promise((resolve) => setTimeout(resolve, 300));`,
  "a FormData by XMLHttpRequest": `await new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", api + "/avatars");
    request.withCredentials = true;
    request.onloadend = resolve;
    request.send(formData());
  });`,
  "a form in a sandboxed frame": `await new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts allow-forms";
    frame.srcdoc = '<form method="post" enctype="text/plain" action="' + api + '/uploads"><input name="a" value="mallory"></form><script>document.forms[0].submit()</scr' + 'ipt>';
    document.body.append(frame);
    setTimeout(resolve, 400);
  });`,
};

/** A script for `page.evaluate`. */
export function scriptOf(attack: string, api: string): string {
  return `(async () => { const api = ${JSON.stringify(api)}; ${tools} ${attack} })()`;
}
