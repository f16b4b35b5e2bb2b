% SPDX-License-Identifier: Apache-2.0
function fails_with (identifier, part, call)
% The call ends with this identifier, and its message has this part.
  try
    call ();
  catch problem
    if ~strcmp (problem.identifier, identifier)
      error ('the identifier is %s, not %s (%s)', problem.identifier, identifier, problem.message);
    end
    if isempty (strfind (problem.message, part))
      error ('"%s" is not in: %s', part, problem.message);
    end
    return;
  end
  error ('nothing was refused, though %s was expected', identifier);
end
