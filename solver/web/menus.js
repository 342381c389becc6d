// Quasar puts the options of an open menu into a part of its own, which can be focused and has no role: readers then
// find no option in the list. Called a group, it is one of options.
new MutationObserver(() => {
  for (const part of document.querySelectorAll('[role="listbox"] > .q-virtual-scroll__content:not([role])')) {
    part.setAttribute("role", "group");
  }
}).observe(document, { childList: true, subtree: true });
