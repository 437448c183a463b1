/// What the shells load. They know nothing of the tool but how to ask it (`CompleteCommand`), so they need not change with it.
enum CompletionScripts {
  static let bash = #"""
    # bash completion for msdk, from msdk completions bash.

    # Without the quotes and backslashes of the shell.
    __msdk_plain() {
      local rest=$1
      plain=
      case $rest in
        \'*\' | \"*\") plain=${rest:1:${#rest}-2} && return ;;
        \'* | \"*) plain=${rest:1} && return ;;
      esac
      while [[ $rest == *\\* ]]; do
        plain+=${rest%%\\*}
        rest=${rest#*\\}
        plain+=${rest:0:1}
        rest=${rest:1}
      done
      plain+=$rest
    }

    _msdk() {
      local rest=${COMP_LINE:0:COMP_POINT} i word plain typed=()
      # Readline also splits at colons and equals signs. Arguments end at white space.
      for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # What is after the cursor is not part of it.
        ((i == COMP_CWORD)) && word=${rest#"${rest%%[![:space:]]*}"}
        if ((i > 0)) && [[ $rest != [[:space:]]* ]]; then
          typed[${#typed[@]} - 1]+=$word
        else
          rest=${rest#"${rest%%[![:space:]]*}"}
          typed+=("$word")
        fi
        rest=${rest#"$word"}
      done
      local tool=${typed[0]} last=${typed[${#typed[@]} - 1]} asked=()
      [[ $tool == '~/'* ]] && tool=$HOME/${tool:2}
      for word in "${typed[@]}"; do
        __msdk_plain "$word"
        asked+=("$plain")
      done

      # What is replaced begins after the last character at which readline splits, but for what is in quotes.
      local stem= breaks=
      if [[ $last != [\'\"]* ]]; then
        [[ $COMP_WORDBREAKS == *=* ]] && breaks+==
        [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
        [[ -n $breaks && $plain == *[$breaks]* ]] && stem=${plain%"${plain##*[$breaks]}"}
      fi

      local kind= value
      COMPREPLY=()
      {
        read -r kind
        while IFS=$'\t' read -r value _; do
          value=${value#"$stem"}
          if [[ $last != [\'\"]* && $value == *[!A-Za-z0-9_.,:=/@%+-]* ]]; then
            printf -v value %q "$value"
            value=${value//\\,/,}
          fi
          COMPREPLY+=("$value")
        done
      } < <("$tool" complete -- "${asked[@]}" 2> /dev/null)
      case $kind in
        files)
          mapfile -t COMPREPLY < <(compgen -f -- "${plain#"$stem"}")
          compopt -o filenames -o default 2> /dev/null
          ;;
        directories)
          mapfile -t COMPREPLY < <(compgen -d -- "${plain#"$stem"}")
          compopt -o filenames -o dirnames 2> /dev/null
          ;;
        open) compopt -o nospace 2> /dev/null ;;
      esac
      return 0
    }

    complete -F _msdk msdk
    """#

  static let zsh = #"""
    #compdef msdk
    # zsh completion for msdk, from msdk completions zsh.

    local tool=${(Q)words[1]} kind line
    local -a lines values shown
    [[ $tool == '~/'* ]] && tool=$HOME/${tool#??}
    lines=("${(@f)$("$tool" complete -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
    kind=$lines[1]
    case $kind in
      files) _files ;;
      directories) _files -/ ;;
      *)
        for line in "${(@)lines[2,-1]}"; do
          values+=("${line%%$'\t'*}")
          if [[ $line == *$'\t'* ]]; then
            shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
          else
            shown+=("$line")
          fi
        done
        (( $#values )) || return 1
        if [[ $kind == open ]]; then
          compadd -S '' -l -d shown -a values
        else
          compadd -l -d shown -a values
        fi
        ;;
    esac
    """#

  static let fish = #"""
    # fish completion for msdk, from msdk completions fish.

    function __msdk_complete
        set -l typed (commandline -opc)
        set -l current (commandline -ct | string unescape)
        set -l lines ($typed[1] complete -- $typed "$current" 2> /dev/null)
        switch "$lines[1]"
            case files
                __fish_complete_path "$current"
            case directories
                __fish_complete_directories "$current"
            case '*'
                for line in $lines[2..-1]
                    echo $line
                end
        end
    end

    complete -c msdk -f -k -a '(__msdk_complete)'
    """#
}
