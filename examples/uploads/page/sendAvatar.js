import { problemText } from "./words.js";

/** Sends a form as the browser would, since the client has no call for forms. @returns the file that it had */
export async function sendAvatar(form) {
  const response = await fetch("api/avatars", { method: "POST", body: new FormData(form) }).catch(() => {
    throw new Error("The server cannot be reached.");
  });
  const isJson = /json/.test(response.headers.get("content-type"));
  if (!isJson) throw new Error(`The server gave an answer that was not expected, with status ${response.status}.`);
  const answer = await response.json();
  if (!response.ok) throw new Error(problemText(answer));
  return answer;
}
