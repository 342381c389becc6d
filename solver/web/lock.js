// Hides eval and Function from all scripts of the page; see script_rules.py. Names that a script declares go
// before those of the window, in every script of the page (ECMAScript, global environment records).
const refuse = () => {
  throw new EvalError("this page evaluates no text");
};
const eval = (text) => {
  // What NiceGUI sends by itself is read, not evaluated: after a connection was lost for too long,
  if (text === 'console.log("reloading because outbox rewind failed"); window.location.reload()') {
    return window.location.reload();
  }
  // and to call a method of a part of the page.
  const call = /^return runMethod\((\d+), ("\w+"), (\[.*\])\)$/s.exec(text);
  return call ? runMethod(...call.slice(1).map((part) => JSON.parse(part))) : refuse();
};
const Function = new Proxy(window.Function, {
  // Vue compiles the templates of NiceGUI's components.
  apply: (made, self, given) =>
    given.length === 2 && given[0] === "Vue" ? Reflect.apply(made, self, given) : refuse(),
  construct: refuse,
});
